// SPDX-License-Identifier: Apache-2.0
/**
 * Which nodes live and which cables are cut: verdicts from hellos, the link-state database, and
 * what the neighbours' hosts answer. Confined to the thread of the node; time is passed in.
 */
package io.meshtransport.neighbours.verdict;
