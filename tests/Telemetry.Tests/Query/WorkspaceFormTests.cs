namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>
/// Cases that the queries in tests/kusto/workspace.json, which KustoFileTests compares, do not contain.
/// </summary>
public sealed class WorkspaceFormTests
{
    [Theory]
    [InlineData(
        "requests\n| summarize avg(duration), n=sum(itemCount) by cloud_RoleName // duration\n| order by avg_duration",
        "AppRequests\n| summarize avg(DurationMs), n=sum(ItemCount) by AppRoleName // duration\n| order by avg_DurationMs"
    )]
    [InlineData(
        "requests | where name == 'duration of requests' and url has \"success\"",
        "AppRequests | where Name == 'duration of requests' and Url has \"success\""
    )]
    [InlineData(
        "requests | project customDimensions.name, customMeasurements['duration'], ['name']",
        "AppRequests | project Properties.name, Measurements['duration'], ['name']"
    )]
    [InlineData(
        "let calls = dependencies | where itemCount > 1; "
            + "calls | summarize percentiles(duration, 50) by type | project type, percentile_duration_50",
        "let calls = AppDependencies | where ItemCount > 1; "
            + "calls | summarize percentiles(DurationMs, 50) by DependencyType | project DependencyType, percentile_DurationMs_50"
    )]
    [InlineData(
        "requests | join kind=inner (exceptions | distinct operation_Id, type) on $left.operation_Id == $right.operation_Id"
            + " | project timestamp, operation_Id1",
        "AppRequests | join kind=inner (AppExceptions | distinct OperationId, ExceptionType) on $left.OperationId == $right.OperationId"
            + " | project TimeGenerated, OperationId1"
    )]
    [InlineData("requests | extend value = 1 | where value > 0", "AppRequests | extend value = 1 | where value > 0")]
    [InlineData(
        "customMetrics | summarize sum(valueSum), sum(valueCount) by iKey",
        "AppMetrics | summarize sum(Sum), sum(ItemCount) by IKey"
    )]
    public void Tables_and_columns_are_renamed_and_nothing_else_changes(string query, string expected) =>
        Assert.Equal(expected, WorkspaceForm.Of(query));

    [Theory]
    [InlineData("requests\n| join kind=inner (nodeSamples) on timestamp", 2, 20, "is a table of the lab")]
    [InlineData("union dependencies, exceptions | summarize count() by type", 1, 55, "DependencyType or ExceptionType")]
    [InlineData("customMetrics | project value", 1, 25, "'value' has no counterpart")]
    [InlineData("requests | project first", 1, 20, "'first' is a reserved word")]
    public void Query_unsupported_by_a_workspace_is_rejected_with_position(
        string query,
        int line,
        int column,
        string reason
    )
    {
        var error = Assert.Throws<KqlException>(() => WorkspaceForm.Of(query));

        Assert.Contains(reason, error.Reason);
        Assert.Equal((line, column), (error.Line, error.Column));
    }
}
