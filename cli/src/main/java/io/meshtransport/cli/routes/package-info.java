// SPDX-License-Identifier: Apache-2.0
/** Kernel routes over the cables of a mesh, so that programs that know nothing of it can use it. */
package io.meshtransport.cli.routes;
