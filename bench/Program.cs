using System.CommandLine;
using DroneDelivery.Bench.Broker;
using DroneDelivery.Bench.Gate;
using DroneDelivery.Bench.Memory;
using DroneDelivery.Bench.Model;
using DroneDelivery.Bench.Queries;
using DroneDelivery.Bench.Services;

var root = new RootCommand("Benchmarks of Drone Delivery. Build everything in Release first.")
{
    CompareBrokers.Command(),
    MeasureBrokerMemory.Command(),
    CompareIngestion.Command(),
    CompareDelivery.Command(),
    CompareDelivery.TelemetryCommand(),
    CompareGateway.Command(),
    BareServer.Command(),
    MeasureFootprint.Command(),
    MeasureGate.Command(),
    MeasureQueries.Command(),
    CompareModel.Command(),
};
return await root.Parse(args).InvokeAsync();
