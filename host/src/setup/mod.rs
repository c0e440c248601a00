//! Installs what a board needs: tools, and the packages of the emulated Linux board.
