window.SwaggerUIBundle({ url: '/docs-json', dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'list' });
