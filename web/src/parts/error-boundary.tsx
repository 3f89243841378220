import { Component, type ReactNode } from 'react'
import { Failed } from './states.js'

interface Props {
  /** The current location; a change of it is meant to retry. */
  readonly place: string
  readonly children: ReactNode
}

interface State {
  readonly error?: Error | undefined
  readonly place: string
}

/** Confines an error to its page and reports it as a bug. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { place: this.props.place }

  static getDerivedStateFromError(error: unknown): Pick<State, 'error'> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    // React merges this into the state, so an error that is not named here would stay.
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
