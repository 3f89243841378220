declare module 'asciichart' {
  export function plot(
    series: readonly (readonly number[])[],
    options: {
      height: number
      min: number
      max: number
      offset: number
      format: (value: number, row: number) => string
      symbols: readonly string[]
      colors?: readonly (string | undefined)[]
    },
  ): string
  export const blue: string
  export const green: string
  export const magenta: string
}
