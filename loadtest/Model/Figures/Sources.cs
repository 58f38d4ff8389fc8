namespace DroneDelivery.Model.Figures;

/// <summary>What a figure is computed from. The lab's own application tells everything; one that runs elsewhere tells less.</summary>
[Flags]
public enum Sources
{
    None = 0,

    /// <summary>Messages that wait and messages that are dead-lettered.</summary>
    Stocks = 1,

    /// <summary>Messages that came in and messages that were completed, over time.</summary>
    Rates = 2,

    /// <summary>Each message handed out, each settlement refused, each receiver: only the local broker counts these.</summary>
    Deliveries = 4,

    /// <summary>How many 5xx answers there were, of every service.</summary>
    Errors = 8,

    /// <summary>When each of them was, and whether it was for want of memory.</summary>
    ErrorsOverTime = 16,

    /// <summary>CPU of virtual nodes, and of the machine that they share.</summary>
    Nodes = 32,

    /// <summary>What the services sent.</summary>
    Telemetry = 64,

    /// <summary>Nothing was on its way between two states when it was counted: each Workflow was stopped, or the queue was empty.</summary>
    Standstill = 128,

    /// <summary>What the load driver counted, and what came after the load: the first half of a stage has neither.</summary>
    WholeStage = 256,

    Everything = 511,
}
