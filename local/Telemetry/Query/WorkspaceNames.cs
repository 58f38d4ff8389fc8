using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The names of Application Insights tables and columns in a workspace. Unlisted ones only get a capital first
/// letter.</summary>
internal static class WorkspaceNames
{
    public static readonly IReadOnlyDictionary<string, string> Tables = new Dictionary<string, string>
    {
        ["requests"] = "AppRequests",
        ["dependencies"] = "AppDependencies",
        ["exceptions"] = "AppExceptions",
        ["traces"] = "AppTraces",
        ["customEvents"] = "AppEvents",
        ["customMetrics"] = "AppMetrics",
        ["performanceCounters"] = "AppPerformanceCounters",
        ["availabilityResults"] = "AppAvailabilityResults",
    };

    private static readonly Dictionary<string, string?> Columns = new()
    {
        ["timestamp"] = "TimeGenerated",
        ["duration"] = "DurationMs",
        ["customDimensions"] = "Properties",
        ["customMeasurements"] = "Measurements",
        ["operation_Name"] = "OperationName",
        ["operation_Id"] = "OperationId",
        ["operation_ParentId"] = "ParentId",
        ["operation_SyntheticSource"] = "SyntheticSource",
        ["session_Id"] = "SessionId",
        ["user_Id"] = "UserId",
        ["application_Version"] = "AppVersion",
        ["client_Type"] = "ClientType",
        ["client_IP"] = "ClientIP",
        ["cloud_RoleName"] = "AppRoleName",
        ["cloud_RoleInstance"] = "AppRoleInstance",
        ["iKey"] = "IKey",
        ["sdkVersion"] = "SDKVersion",
        ["itemId"] = "_ItemId",
        ["itemType"] = "Type",
        ["dependencies.type"] = "DependencyType",
        ["exceptions.type"] = "ExceptionType",
        ["customMetrics.value"] = null,
        ["customMetrics.valueCount"] = "ItemCount",
        ["customMetrics.valueSum"] = "Sum",
        ["customMetrics.valueMin"] = "Min",
        ["customMetrics.valueMax"] = "Max",
        ["customMetrics.valueStdDev"] = null,
    };

    /// <returns><c>null</c> if workspaces don't have the column.</returns>
    public static string? ColumnOf(TableSchema table, string column) =>
        Columns.TryGetValue($"{table.Name}.{column}", out var own) || Columns.TryGetValue(column, out own)
            ? own
            : char.ToUpperInvariant(column[0]) + column[1..];
}
