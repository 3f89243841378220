import { InputError } from '../../core/errors/errors.js'

/** What an address names is not there: 404 in place of 400. */
export class NotFoundError extends InputError {}
