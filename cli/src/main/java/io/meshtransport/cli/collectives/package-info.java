// SPDX-License-Identifier: Apache-2.0
/** What {@code mesh demo collectives} shows: a group, its plan, its results, and its speed. */
package io.meshtransport.cli.collectives;
