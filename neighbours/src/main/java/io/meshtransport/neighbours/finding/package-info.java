// SPDX-License-Identifier: Apache-2.0
/** What is wrong with the cabling, in words with a remedy: pure functions over what is known. */
package io.meshtransport.neighbours.finding;
