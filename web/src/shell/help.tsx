import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../parts/dialog.js'
import { keep, readKept } from './kept.js'
import { createKeyReader, isOurs, type KeyAction, keys } from './keys.js'

/** The keyboard shortcuts, a button that lists them, and a switch to disable them. */
export function KeyHelp() {
  const [isOpen, setOpen] = useState(false)
  const [isOn, setOn] = useState(() => readKept('keys') !== 'off')
  const [, navigate] = useLocation()

  useEffect(() => {
    if (!isOn) return
    const read = createKeyReader(() => performance.now())
    const act = (action: KeyAction) => {
      if (action.kind === 'go') navigate(action.path)
      else if (action.kind === 'help') setOpen(true)
      else document.querySelector<HTMLElement>('main input[type="search"]')?.focus()
    }
    const pressed = (event: KeyboardEvent) => {
      const action = isOurs(event) ? read(event.key) : undefined
      if (action === undefined) return
      event.preventDefault()
      act(action)
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [isOn, navigate])

  const choose = (on: boolean) => {
    setOn(on)
    keep('keys', on ? 'on' : 'off')
  }
  return (
    <>
      <button type="button" className="quiet" aria-label="Keyboard help" onClick={() => setOpen(true)}>
        <kbd>?</kbd>
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Keys">
        <dl className="help-keys">
          {keys.map(({ keys: pressed, does }) => (
            <div key={does} className="help-key">
              <dt>
                {pressed.map(key => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <p className="muted small">
          Everything else goes by <kbd>Tab</kbd>, <kbd>Enter</kbd> and <kbd>Space</kbd>; <kbd>Esc</kbd>{' '}
          closes.
        </p>
        <label className="row">
          <input type="checkbox" checked={isOn} onChange={event => choose(event.target.checked)} />
          Use these keys
        </label>
      </Dialog>
    </>
  )
}
