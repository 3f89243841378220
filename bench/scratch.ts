import { compareVariants, comparisonTable } from './worlds/compare.js'
const [seeds, first, worlds, variants] = process.argv.slice(2)
const rows = await compareVariants({
  worlds: (worlds ?? '').split(','),
  seeds: Number(seeds),
  firstSeed: Number(first),
  variants: JSON.parse(variants ?? '[]'),
})
console.log(comparisonTable(rows))
