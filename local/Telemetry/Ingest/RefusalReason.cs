namespace DroneDelivery.Telemetry.Ingest;

/// <summary>The reasons for rejecting a telemetry item.</summary>
public enum RefusalReason
{
    /// <summary>The item isn't JSON, or lacks a required part.</summary>
    Malformed,

    /// <summary>The <c>iKey</c> belongs to another run.</summary>
    OtherInstrumentationKey,

    /// <summary>No table exists for the <c>data.baseType</c>.</summary>
    UnknownType,

    /// <summary>The item is older than the run: a late item of an earlier run, or from the warm-up. Not an error of the
    /// sender.</summary>
    BeforeTheRun,

    /// <summary>The item reports a call to this collector.</summary>
    CollectorCall,
}
