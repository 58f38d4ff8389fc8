using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Simulation;

/// <summary>What all consumers of a simulation share.</summary>
internal sealed record World(Setting Setting, Cluster Cluster, Timeline Timeline, Chance Chance, ISimulationLog? Log);
