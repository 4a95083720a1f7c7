// What the compiler does not complain about.

import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['out/**', 'node_modules/**'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.tests.json'] }
    },
    rules: {
      eqeqeq: 'error',
      // Signals are connected as slot and owner.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': ['error', { allow: ['error'] }],
      '@typescript-eslint/consistent-type-assertions': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error'
    }
  },
  {
    files: ['e2e/**', 'tests/**'],
    rules: { 'no-console': 'off' }
  }
);
