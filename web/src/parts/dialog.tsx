import { type ReactNode, useEffect, useId, useRef } from 'react'

/** A modal dialog. Its button, Escape or a click outside closes it. */
export function Dialog({
  open,
  onClose,
  title,
  children,
}: {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
}) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    if (open) element.current?.showModal()
    else element.current?.close()
  }, [open])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by the dialog itself
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={heading}
      onClose={onClose}
      onClick={event => {
        if (event.target === element.current) onClose()
      }}
    >
      {open && (
        <div className="dialog-body">
          <header className="dialog-head">
            <h2 id={heading}>{title}</h2>
            <button type="button" className="quiet" onClick={onClose} aria-label="Close">
              ✕
            </button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  )
}
