// SPDX-License-Identifier: Apache-2.0
/** What the neighbours' protocol counts. */
package io.meshtransport.neighbours.stats;
