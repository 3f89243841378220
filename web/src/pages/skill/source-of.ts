import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { SkillSource } from '../../../../src/dashboard/contract/skill.js'
import { getJson } from '../../api/client.js'

/** The text of a version. It is fetched once, because the text of a hash never changes. */
export function useSource(run: string, id: string, skill: string): UseQueryResult<SkillSource> {
  const path = `/api/runs/${encodeURIComponent(run)}/versions/${encodeURIComponent(id)}`
  return useQuery({
    queryKey: ['skill', run, id, skill],
    queryFn: ({ signal }) => getJson<SkillSource>(path, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
