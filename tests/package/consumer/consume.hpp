#pragma once

/// model, tree: files. Returns an exit status.
int consume(const char* model, const char* tree);
