// A station of three servers in SimJS: how many events a second of one core, an arrival or the end of a service being one.
globalThis.window = {}; // the package gives itself to a browser's window only
await import('simjs');

const { Sim, Facility, Entity, Random } = window.Sim;
const customers = Number(process.argv[2]);
const arrivalsPerSecond = 2.4, servicesPerSecond = 1, servers = 3;

let waited = 0, served = 0;

class Source extends Entity {
  start({ station, random }) {
    this.station = station;
    this.random = random;
    this.left = customers;
    this.arrive();
  }

  arrive() {
    if (this.left-- === 0) return;
    const service = this.random.exponential(servicesPerSecond), arrival = this.time();
    this.useFacility(this.station, service).done(() => {
      waited += this.time() - arrival - service;
      served++;
    });
    this.setTimer(this.random.exponential(arrivalsPerSecond)).done(this.arrive);
  }
}

const sim = new Sim();
sim.addEntity(Source, 'source', { station: new Facility('station', Facility.FCFS, servers), random: new Random(1) });
const before = process.cpuUsage();
sim.simulate(Infinity);
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ events: 2 * served, cpuSeconds: (user + system) / 1e6, meanWait: waited / served }));
