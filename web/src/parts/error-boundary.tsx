import { Component, type ReactNode } from 'react'
import { Failed } from './states.js'

interface Props {
  /** The current location. When it changes, the page is tried again. */
  readonly place: string
  readonly children: ReactNode
}

interface State {
  readonly error?: Error | undefined
  readonly place: string
}

/** Shows an error in place of the page that caused it, and reports it as a bug. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { place: this.props.place }

  static getDerivedStateFromError(error: unknown): Pick<State, 'error'> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    // React merges this object into the state, so the error must be reset explicitly.
    return place === state.place ? null : { place, error: undefined }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <>
        <h1>This page does not work</h1>
        <Failed
          error={`Something went wrong in the page that should not: ${error.message}`}
          retry={() => location.reload()}
        />
      </>
    )
  }
}
