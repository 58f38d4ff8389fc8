using System.Globalization;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal static class PercentileCall
{
    /// <param name="takesOne"><c>true</c> if the call must have exactly one percentile.</param>
    /// <param name="isWeighted"><c>true</c> if the second argument is the weight of a value.</param>
    public static AggregateColumns Bind(Call call, SummarizeBinder binder, bool takesOne, bool isWeighted)
    {
        var before = isWeighted ? 2 : 1;
        CheckCount(call, binder, before, takesOne);
        Scalar[] arguments = [.. call.Arguments.Take(before).Select(binder.Bind)];
        var percents = call.Arguments.Skip(before).Select(percent => Percent(percent, binder)).ToList();
        if (isWeighted && arguments[1].Type is not (ColumnType.Int or ColumnType.Long))
        {
            throw binder.Error(
                call.Arguments[1].At,
                $"a weight must be an integer, not a {arguments[1].Type.KqlName()}.",
                "For example: itemCount."
            );
        }
        var type = arguments[0].Type;
        var shape = ShapeFor(type == ColumnType.Int ? ColumnType.Long : type, percents, isWeighted)
            ?? throw binder.Error(
                call.Arguments[0].At,
                $"a {type.KqlName()} has no percentiles.",
                "Convert it first: todouble(…)."
            );
        var of = ColumnNames.Of(call.Arguments[0]);
        return new(
            shape,
            arguments,
            [.. call.Arguments.Skip(before).Select(percent => $"percentile_{of}_{PercentName(percent, binder)}")]
        );
    }

    private static void CheckCount(Call call, SummarizeBinder binder, int before, bool takesOne)
    {
        var isWeighted = before == 2;
        if (call.Arguments.Count <= before)
        {
            throw binder.Error(
                call.At,
                $"'{call.Function}' takes a value{(isWeighted ? ", its weight" : "")} and {(takesOne ? "a percentile" : "percentiles")}.",
                $"For example: {(isWeighted ? "percentilesw(duration, itemCount, 50, 95)" : "percentiles(duration, 50, 95)")}."
            );
        }
        if (takesOne && call.Arguments.Count > before + 1)
        {
            throw binder.Error(
                call.At,
                $"'{call.Function}' takes one percentile.",
                $"{call.Function.Replace("ile", "iles", StringComparison.Ordinal)} takes several."
            );
        }
    }

    private static double Percent(Expression percent, SummarizeBinder binder) =>
        binder.BindConstant(percent, "a percentile") switch
        {
            long and >= 0 and <= 100 and var whole => whole,
            double and >= 0 and <= 100 and var real => real,
            _ => throw binder.Error(
                percent.At,
                "a percentile must be a number from 0 to 100.",
                "For example: 95 or 99.9."
            ),
        };

    // Returns the name of a percentile: 99.9 is percentile_x_99_9.
    private static string PercentName(Expression percent, SummarizeBinder binder) =>
        Convert.ToString(binder.BindConstant(percent, "a percentile"), CultureInfo.InvariantCulture)!.Replace('.', '_');

    private static AggregateShape? ShapeFor(ColumnType type, List<double> percents, bool isWeighted) =>
        type switch
        {
            ColumnType.Real => new([.. percents.Select(_ => type)], context => new Percentiles<double>(
                type,
                percents,
                isWeighted,
                context
            )),
            ColumnType.Long or ColumnType.DateTime or ColumnType.TimeSpan => new(
                [.. percents.Select(_ => type)],
                context => new Percentiles<long>(type, percents, isWeighted, context)
            ),
            _ => null,
        };
}
