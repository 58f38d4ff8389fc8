namespace DroneDelivery.Telemetry.Tests.Kusto;

public sealed class KustoTableTests
{
    private const string FileName = "tables.json";

    [Fact]
    public void Azure_s_parser_is_told_of_the_tables_that_the_engine_has() => Assert.Equal(Text(), KustoFiles.Read(FileName));

    [Fact(Explicit = true)]
    public void Write_them_anew() => KustoFiles.Write(FileName, Text());

    private static string Text() => "{\n" + string.Join(",\n", KnownTables.All.Concat(SampleTables.All).Select(Line)) + "\n}\n";

    private static string Line(TableSchema table)
    {
        var columns = string.Join(", ", table.Columns.Select(column => $"{column.Name}:{column.Type.KqlName()}"));
        return $"  {JsonSerializer.Serialize(table.Name)}: {JsonSerializer.Serialize(columns)}";
    }
}
