import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type {
  LaunchCheck,
  LaunchCheckRequest,
  LaunchForecast,
} from '../../../../src/dashboard/contract/launch.js'
import { postJson } from '../../api/client.js'

const pauseMs = 300

/** Requests the problems with the settings or, if there are none, the forecast, when the user pauses. */
export function useCheck(request: LaunchCheckRequest) {
  const asked = JSON.stringify(request)
  const [settled, setSettled] = useState(asked)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), pauseMs)
    return () => clearTimeout(timer)
  }, [asked])
  const isSettled = settled === asked
  const check = useQuery({
    queryKey: ['launch', 'check', settled],
    queryFn: ({ signal }) => postJson<LaunchCheck>('/api/launch/check', JSON.parse(settled), signal),
    placeholderData: keepPreviousData,
  })
  const isCurrent = isSettled && check.isSuccess && !check.isPlaceholderData
  const forecast = useQuery({
    queryKey: ['launch', 'forecast', settled],
    queryFn: ({ signal }) => postJson<LaunchForecast>('/api/launch/forecast', JSON.parse(settled), signal),
    enabled: isCurrent && check.data.problems.length === 0,
    placeholderData: keepPreviousData,
  })
  return {
    check: check.data,
    checkError: check.error ?? undefined,
    forecast: forecast.data,
    forecastError: forecast.error ?? undefined,
    /** True if both the problems and the forecast belong to the current form values. */
    isCurrent: isCurrent && forecast.isSuccess && !forecast.isPlaceholderData && !forecast.isFetching,
    ask: () => Promise.all([check.refetch(), forecast.refetch()]),
  }
}
