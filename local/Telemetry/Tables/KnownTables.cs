namespace DroneDelivery.Telemetry.Tables;

/// <summary>The tables of Application Insights, with the names and types of its query page.</summary>
public static class KnownTables
{
    public const string ItemId = "itemId";

    private const string Common =
        "itemType:string, customDimensions:dynamic, customMeasurements:dynamic, operation_Name:string, operation_Id:string, "
        + "operation_ParentId:string, operation_SyntheticSource:string, session_Id:string, user_Id:string, application_Version:string, "
        + "client_Type:string, client_IP:string, cloud_RoleName:string, cloud_RoleInstance:string, iKey:string, sdkVersion:string, "
        + "itemId:string, itemCount:int";

    public static readonly TableSchema Requests = Table(
        "requests",
        "id:string, source:string, name:string, url:string, success:bool, resultCode:string, duration:real, performanceBucket:string"
    );

    public static readonly TableSchema Dependencies = Table(
        "dependencies",
        "id:string, target:string, type:string, name:string, data:string, success:bool, resultCode:string, duration:real, "
            + "performanceBucket:string"
    );

    public static readonly TableSchema Exceptions = Table(
        "exceptions",
        "problemId:string, handledAt:string, type:string, message:string, assembly:string, method:string, outerType:string, "
            + "outerMessage:string, outerAssembly:string, outerMethod:string, innermostType:string, innermostMessage:string, "
            + "innermostAssembly:string, innermostMethod:string, severityLevel:int, details:dynamic"
    );

    public static readonly TableSchema Traces = Table("traces", "message:string, severityLevel:int");

    public static readonly TableSchema CustomEvents = Table("customEvents", "name:string");

    public static readonly TableSchema CustomMetrics = Table(
        "customMetrics",
        "name:string, value:real, valueCount:int, valueSum:real, valueMin:real, valueMax:real, valueStdDev:real"
    );

    public static readonly TableSchema PerformanceCounters = Table(
        "performanceCounters",
        "name:string, value:real, category:string, counter:string, instance:string"
    );

    public static readonly TableSchema AvailabilityResults = Table(
        "availabilityResults",
        "id:string, name:string, location:string, success:bool, message:string, duration:real, performanceBucket:string"
    );

    public static IReadOnlyList<TableSchema> All { get; } =
    [Requests, Dependencies, Exceptions, Traces, CustomEvents, CustomMetrics, PerformanceCounters, AvailabilityResults];

    private static TableSchema Table(string name, string columns) =>
        TableSchema.Parse(name, $"timestamp:datetime, {columns}, {Common}");
}
