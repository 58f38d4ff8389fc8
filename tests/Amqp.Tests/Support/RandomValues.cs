using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;

namespace DroneDelivery.Amqp.Tests.Support;

/// <summary>Random values of every type that AMQP has; of arrays those that are written. The seed is fixed: each run is the same.</summary>
internal static class RandomValues
{
    private static readonly IArbMap Defaults = ArbMap.Default;

    public static void ForAll(Action<object?> check, int tests = 1000) => ForAll(Value.ToArbitrary(), check, tests);

    public static void ForAll<T>(Arbitrary<T> arbitrary, Action<T> check, int tests = 1000) => Check.One(
        Config.QuickThrowOnFailure.WithQuietOnSuccess(true).WithMaxTest(tests).WithEndSize(30).WithReplay(FixedSeed),
        Prop.ForAll(arbitrary, check));

    public static Gen<object?> Value => Gen.Sized(size => ValueOf(Math.Min(size, 12)));

    public static Gen<string> Text =>
        Defaults.GeneratorFor<NonNull<string>>().Select(s => Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(s.Get)));

    public static Gen<Symbol> Symbol => Gen.Choose(32, 126).Select(c => (char)c).ListOf().Select(c => new Symbol(string.Concat(c)));

    public static Gen<Dictionary<Symbol, object?>> Annotations =>
        from keys in Symbol.ListOf()
        from values in Gen.ListOf(Value, keys.Count)
        select keys.Zip(values).DistinctBy(e => e.First).ToDictionary(e => e.First, e => e.Second);

    private static FSharpOption<Replay> FixedSeed => new(new Replay(new Rnd(20100811, 1), FSharpOption<int>.None));

    private static Gen<object?> ValueOf(int size) => size <= 1 ? Simple : Gen.Frequency((3, Simple), (1, Compound(size / 2)));

    private static Gen<object?> Simple => Gen.OneOf(
        Gen.Constant<object?>(null),
        Boxed<bool>(), Boxed<byte>(), Boxed<sbyte>(), Boxed<short>(), Boxed<ushort>(), Boxed<int>(), Boxed<uint>(), Boxed<long>(),
        Boxed<ulong>(), Boxed<float>(), Boxed<double>(), Boxed<Guid>(), Boxed<byte[]>(),
        Any<uint>().Select(x => (object?)new Decimal32(x)),
        Any<ulong>().Select(x => (object?)new Decimal64(x)),
        Any<ulong>().Select(x => (object?)new Decimal128(new UInt128(x, ~x))),
        Character.Select(x => (object?)x),
        Moment.Select(x => (object?)x),
        Text.Select(x => (object?)x),
        Symbol.Select(x => (object?)x));

    private static Gen<object?> Compound(int size) => Gen.OneOf(
        ValueOf(size).ListOf().Select(x => (object?)x.ToList()),
        Map(size).Select(x => (object?)x),
        Array(),
        from descriptor in Any<ulong>() from value in ValueOf(size) select (object?)new DescribedValue(descriptor, value),
        from descriptor in Symbol from value in ValueOf(size) select (object?)new DescribedValue(descriptor, value));

    private static Gen<Dictionary<object, object?>> Map(int size) =>
        from keys in Gen.OneOf(Text.Select(x => (object)x), Any<int>().Select(x => (object)x), Any<Guid>().Select(x => (object)x)).ListOf()
        from values in Gen.ListOf(ValueOf(size), keys.Count)
        select keys.Zip(values).DistinctBy(e => e.First).ToDictionary(e => e.First, e => e.Second);

    private static Gen<object?> Array() => Gen.OneOf(Items(Any<long>()), Items(Any<Guid>()), Items(Moment), Items(Text), Items(Symbol));

    private static Gen<object?> Items<T>(Gen<T> item) => item.ArrayOf().Select(x => (object?)x);

    private static Gen<Rune> Character => Gen.Choose(0, 0x10ffff).Where(Rune.IsValid).Select(x => new Rune(x));

    private static Gen<DateTimeOffset> Moment => Any<int>().Select(x => DateTimeOffset.FromUnixTimeMilliseconds(x * 1000L + 7));

    private static Gen<T> Any<T>() => Defaults.GeneratorFor<T>();

    private static Gen<object?> Boxed<T>() => Any<T>().Where(x => x is not null).Select(x => (object?)x);
}
