import { Empty } from '../../parts/states.js'

export default function Page(_: { readonly run?: string }) {
  return <Empty title="This page is being built." />
}
