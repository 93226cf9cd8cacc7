// SPDX-License-Identifier: Apache-2.0
/** What keeps nodes from each other, or slows them down, on this host and on the cables. */
package io.meshtransport.cli.doctor;
