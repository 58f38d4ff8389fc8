using System.Globalization;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>One row of an answer.</summary>
internal readonly struct AnswerRow(QueryResult rows, int row)
{
    public string Text(string column) => string.Create(CultureInfo.InvariantCulture, $"{rows.Column(column).ElementAt(row)}");

    public double Value(string column) => TimeRows.Number(rows.Column(column).ElementAt(row));

    public DateTime Time(string column) => (DateTime)rows.Column(column).ElementAt(row)!;

    /// <summary>The cell of a table.</summary>
    /// <param name="style">Given where the number is not 0.</param>
    public Html Number(string column, string style = "")
    {
        var number = Value(column);
        return HtmlTable.Number(number, style: number > 0 ? style : "");
    }
}
