namespace DroneDelivery.Articles.Tests.Support;

/// <summary>Tests that start the application and measure something, one after the other when all others are done.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class RealProcesses
{
    public const string Name = "real processes";
}
