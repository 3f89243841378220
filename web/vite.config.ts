import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy does not allow inline data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Bundled dependencies are shipped with their licences.
    license: { fileName: 'licenses.md' },
  },
})
