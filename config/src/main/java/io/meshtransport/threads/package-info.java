// SPDX-License-Identifier: Apache-2.0
/**
 * Threads of this library that end when they are closed, and never because of a failure; and when
 * one that waits gives its core away.
 */
package io.meshtransport.threads;
