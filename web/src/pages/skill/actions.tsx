import { useState } from 'react'
import type { SkillVersion } from '../../../../src/dashboard/contract/skill.js'
import { useSource } from './source-of.js'

/** Buttons that copy or download a version's text. */
export function Actions({ run, version }: { readonly run: string; readonly version: SkillVersion }) {
  const { data } = useSource(run, version.id, version.skill)
  const [told, setTold] = useState('')
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      setTold('Copied.')
    } catch {
      // Copying works only on localhost or over HTTPS, and the browser may forbid it.
      setTold('The browser does not let this page copy: download the file.')
    }
  }
  const path = `/api/runs/${encodeURIComponent(run)}/versions/${encodeURIComponent(version.id)}/download`
  return (
    <>
      <button type="button" disabled={data === undefined} onClick={() => data && void copy(data.text)}>
        Copy
      </button>
      <a className="button" href={path} download>
        Download
      </a>
      <span role="status" className="small muted">
        {told}
      </span>
    </>
  )
}
