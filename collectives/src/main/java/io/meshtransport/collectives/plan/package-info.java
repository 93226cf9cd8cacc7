// SPDX-License-Identifier: Apache-2.0
/**
 * Plans of collective operations for a graph of ranks and cables: which trees carry which share.
 * Pure computation: knows no network and no time.
 */
package io.meshtransport.collectives.plan;
