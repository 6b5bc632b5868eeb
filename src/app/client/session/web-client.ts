/** Public credential of the web client; grants nothing by itself. Source: ground rules, section 3. */
export const WEB_CLIENT = `Basic ${btoa('web:web')}`;
