namespace DroneDelivery.Articles.Tests.Support;

/// <summary>Tests that start the application and measure something. They run one at a time, after all others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class RealProcesses
{
    public const string Name = "real processes";
}
