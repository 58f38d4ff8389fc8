using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>A line is read in one look: 140 columns, but for data that stands in a text of several lines.</summary>
public sealed partial class LinesFitTests
{
    private const int Columns = 140;

    [Fact]
    public void No_line_of_code_is_longer_than_140_columns() => Assert.Equal(
        [],
        from file in Repository.Code()
        from line in TooLong(file.Text)
        select $"{file.Path}:{line}");

    [Theory]
    [InlineData(140, false, 0)]
    [InlineData(141, false, 1)]
    [InlineData(141, true, 0)]
    public void Only_what_stands_in_a_raw_string_may_be_longer(int columns, bool isRaw, int expected)
    {
        var quotes = isRaw ? "\"\"\"" : "";

        Assert.Equal(expected, TooLong($"{quotes}\n{new string('x', columns)}\n{quotes}\n").Count());
    }

    /// <returns>Numbers of lines, from 1.</returns>
    private static IEnumerable<int> TooLong(string source)
    {
        var lines = RawString().Replace(source, match => new string('\n', match.Value.Count(character => character == '\n'))).Split('\n');
        return
            from line in lines.Index()
            where line.Item.TrimEnd('\r').Length > Columns && !IsReadByKusto(line.Item)
            select line.Index + 1;
    }

    // tests/kusto looks for a query in one literal, in one line.
    private static bool IsReadByKusto(string line) => line.Contains("KqlQuery.Parse(\"", StringComparison.Ordinal);

    // From a line that ends in three quotes to one that begins with them: what is between is data.
    [GeneratedRegex("\"{3,}[ \\t]*\\r?\\n.*?\\n[ \\t]*\"{3,}", RegexOptions.Singleline)]
    private static partial Regex RawString();
}
