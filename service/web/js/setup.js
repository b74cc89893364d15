export function openSetup() {}
