namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Why an item of telemetry is not in the tables.</summary>
public enum RefusalReason
{
    /// <summary>Not JSON, or without one of the parts that every item has.</summary>
    Malformed,

    /// <summary>Its <c>iKey</c> belongs to another run.</summary>
    OtherInstrumentationKey,

    /// <summary>Its <c>data.baseType</c> has no table.</summary>
    UnknownType,

    /// <summary>
    /// It happened before this run began: the late delivery of an earlier one, or a process that warmed up. Its sender made no mistake.
    /// </summary>
    BeforeTheRun,

    /// <summary>A call to this collector: telemetry about sending telemetry.</summary>
    CollectorCall,
}
