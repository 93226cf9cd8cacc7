// SPDX-License-Identifier: Apache-2.0
/**
 * What {@code ./mesh} runs: demo, nics, listen, ping, up, map and others. Prints for people; writes
 * JSON for programs where {@code --json} is given.
 */
package io.meshtransport.cli;
