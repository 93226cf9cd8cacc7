// SPDX-License-Identifier: Apache-2.0
/** How this library's threads live: they end when they are told to, and never of a failure. */
package io.meshtransport.threads;
