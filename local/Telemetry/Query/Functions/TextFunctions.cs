using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

internal static class TextFunctions
{
    public static readonly Function[] Functions =
    [
        new("strcat", ResultName.None, [Text<string, string>((a, b) => a + b)], Folds: true, TakesAnyAsText: true),
        new(
            "strlen",
            ResultName.FunctionAndFirstArgument,
            [new(Kql.Long, [Kql.String], Kernels.Of<string, long>(Kql.Long, text => text.Length))]
        ),
        new("tolower", ResultName.None, [Text<string>(text => text.ToLowerInvariant())], TakesAnyAsText: true),
        new("toupper", ResultName.None, [Text<string>(text => text.ToUpperInvariant())], TakesAnyAsText: true),
        new(
            "substring",
            ResultName.None,
            [
                new(
                    Kql.String,
                    [Kql.String, Kql.Long],
                    Kernels.Of<string, long, string>(Kql.String, (text, from) => Part(text, from, text.Length))
                ),
                new(
                    Kql.String,
                    [Kql.String, Kql.Long, Kql.Long],
                    Kernels.Of<string, long, long, string>(Kql.String, Part)
                ),
            ]
        ),
        new(
            "indexof",
            ResultName.None,
            [
                new(
                    Kql.Long,
                    [Kql.String, Kql.String],
                    Kernels.Of<string, string, long>(Kql.Long, (text, part) =>
                        text.IndexOf(part, StringComparison.Ordinal)
                    )
                ),
            ]
        ),
        new("replace_string", ResultName.None, [new(Kql.String, [Kql.String, Kql.String, Kql.String], Replace)]),
        new("extract", ResultName.None, [new(Kql.String, [Kql.String, Kql.Long, Kql.String], Extract)])
        {
            BindOwn = BindTypedExtract,
        },
        new(
            "isempty",
            ResultName.None,
            [new(Kql.Bool, [Kql.String], Kernels.Of<string, bool>(Kql.Bool, text => text.Length == 0))],
            TakesAnyAsText: true
        ),
        new(
            "isnotempty",
            ResultName.None,
            [new(Kql.Bool, [Kql.String], Kernels.Of<string, bool>(Kql.Bool, text => text.Length > 0))],
            TakesAnyAsText: true
        ),
    ];

    private static Overload Text<A>(Func<A, string> function) =>
        new(Kql.String, [Kql.String], Kernels.Of(Kql.String, function));

    private static Overload Text<A, B>(Func<A, B, string> function) =>
        new(Kql.String, [Kql.String, Kql.String], Kernels.Of(Kql.String, function));

    private static string Part(string text, long from, long length)
    {
        if (from < 0)
            from = Math.Max(0, text.Length + from);
        from = Math.Min(from, text.Length);
        return text.Substring((int)from, (int)Math.Clamp(length, 0, text.Length - from));
    }

    private static Column Replace(Column[] arguments, int length, QueryContext context) =>
        Kernels.Of<string, string, string, string>(Kql.String, (text, old, replacement) =>
        {
            if (old.Length == 0)
                return text;
            // Charged before it is made: a short query can ask for a text of any length.
            if (replacement.Length > old.Length)
                context.Make((int)Math.Min(int.MaxValue, (long)text.Length / old.Length * replacement.Length));
            return text.Replace(old, replacement, StringComparison.Ordinal);
        })(arguments, length, context);

    private static Scalar? BindTypedExtract(Call call, ExpressionBinder binder)
    {
        if (call.Arguments.Count != 4)
            return null;
        if (
            call.Arguments[3] is not Call { Function: "typeof", Arguments: [Name type] }
            || ColumnTypes.Find(type.Text) is not { } target
        )
        {
            throw binder.Error(
                call.Arguments[3].At,
                "the fourth argument of extract is typeof(…) of a scalar type.",
                "For example: typeof(long)."
            );
        }
        return Conversions.Convert(
            binder.BindCall("extract", call.At, [.. call.Arguments.Take(3).Select(binder.Bind)]),
            target
        );
    }

    private static Column Extract(Column[] arguments, int length, QueryContext context)
    {
        var extract = Kernels.Of<string, long, string, string>(Kql.String, (pattern, group, text) =>
            context.Expression(pattern).Match(text).Groups[(int)Math.Clamp(group, 0, 1_000)].Value
        );
        return extract(arguments, length, context);
    }
}
