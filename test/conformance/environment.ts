/** The suite itself ships in the package, for users' own environments. */
export { type EnvironmentSubject, environmentChecks, said } from '../../src/testing/environment.js'
