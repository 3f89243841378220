export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}
