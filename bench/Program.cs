using System.CommandLine;
using DroneDelivery.Bench.Broker;
using DroneDelivery.Bench.BrokerMemory;
using DroneDelivery.Bench.Delivery;
using DroneDelivery.Bench.Footprint;
using DroneDelivery.Bench.Gate;
using DroneDelivery.Bench.Gateway;
using DroneDelivery.Bench.Hostile;
using DroneDelivery.Bench.Ingestion;
using DroneDelivery.Bench.Locks;
using DroneDelivery.Bench.Model;
using DroneDelivery.Bench.Report;
using DroneDelivery.Bench.Simulation;
using DroneDelivery.Bench.Telemetry;

var root = new RootCommand(
    "Timings of Drone Delivery, each beside the bare thing in the same run. Build everything in Release first."
)
{
    CompareBrokers.Command(),
    MeasureLocks.Command(),
    MeasureBrokerMemory.Command(),
    MeasureHostility.Command(),
    SteppingBroker.Command(),
    CompareIngestion.Command(),
    BareEndpoint.Command(),
    CompareDelivery.Command(),
    BareDelivery.Command(),
    MeasureFootprint.Command(),
    MeasureGate.Command(),
    CompareGateway.Command(),
    BareProxy.Command(),
    BareProxy.BackendCommand(),
    MeasureTelemetry.Command(),
    CollectorUnderTest.Command(),
    MeasureQueries.Command(),
    MeasureReport.Command(),
    MeasureSimulation.Command(),
    CompareModel.Command(),
};
return await root.Parse(args).InvokeAsync();
