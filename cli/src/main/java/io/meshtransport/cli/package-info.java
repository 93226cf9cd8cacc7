// SPDX-License-Identifier: Apache-2.0
/**
 * What {@code ./mesh} runs: demo, nics, listen and ping. Prints for people; writes JSON for
 * programs where {@code --json} is given.
 */
package io.meshtransport.cli;
