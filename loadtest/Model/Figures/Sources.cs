namespace DroneDelivery.Model.Figures;

/// <summary>The data sources of a metric. The lab's own application provides all of them.</summary>
[Flags]
public enum Sources
{
    None = 0,

    Stocks = 1,

    /// <summary>Incoming and completed messages over time.</summary>
    Rates = 2,

    /// <summary>Deliveries, rejected settlements and receivers, which only the local broker counts.</summary>
    Deliveries = 4,

    /// <summary>The number of 5xx responses.</summary>
    Errors = 8,

    /// <summary>The time of each 5xx response, and whether a full Redis caused it.</summary>
    ErrorsOverTime = 16,

    Nodes = 32,

    Telemetry = 64,

    /// <summary>Counts taken while no message was in transit.</summary>
    Standstill = 128,

    /// <summary>The load driver's result and the time after the load, which the first half of a stage lacks.</summary>
    WholeStage = 256,

    Everything = 511,
}
