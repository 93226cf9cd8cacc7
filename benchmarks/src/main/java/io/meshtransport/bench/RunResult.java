// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

/**
 * What both ends have seen of a run.
 *
 * @param processor time of both, the warm-up of the run included
 */
record RunResult(Measurement initiator, Measurement responder, ProcessorTime processor) {}
