import { createApp } from 'vue';
import agent from '@plingjs/vue';
import App from './App.vue';

const app = createApp(App).use(agent);
app.mount('#app');
globalThis.leave = () => app.unmount(); // for whoever wants to see lifetimes end
