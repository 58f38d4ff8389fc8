namespace DroneDelivery.Telemetry.Query;

/// <summary>Three-valued <c>and</c>, <c>or</c>, and <c>not</c>.</summary>
internal static class Logic
{
    public static readonly Function[] Operators =
    [
        new("and", "bool, bool -> bool", Combine(decisive: false)),
        new("or", "bool, bool -> bool", Combine(decisive: true)),
    ];

    public static readonly Function[] Functions = [new("not", "bool -> bool", Kernels.Of((bool truth) => !truth))];

    /// <param name="decisive">The value of one side that determines the result.</param>
    private static KernelOf Combine(bool decisive) =>
        type =>
            (arguments, length, context) =>
            {
                var a = arguments[0].As<bool>();
                var b = arguments[1].As<bool>();
                var result = new ColumnMaker<bool>(type, length, context);
                for (var i = 0; i < length; i++)
                {
                    var aIsNull = a.IsNull(i);
                    var bIsNull = b.IsNull(i);
                    if ((!aIsNull && a[i] == decisive) || (!bIsNull && b[i] == decisive))
                        result.Set(i, decisive);
                    else if (aIsNull || bIsNull)
                        result.SetNull(i);
                    else
                        result.Set(i, !decisive);
                }
                return result.Column;
            };
}
