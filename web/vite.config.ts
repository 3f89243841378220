import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Inline data would need more rights than the pages have.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What is bundled goes out with the licences that it came with.
    license: { fileName: 'licenses.md' },
  },
})
