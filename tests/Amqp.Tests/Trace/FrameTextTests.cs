namespace DroneDelivery.Amqp.Tests.Trace;

public sealed class FrameTextTests
{
    [Fact]
    public void A_peers_text_stays_on_its_line_and_is_cut()
    {
        var name = "a\r\n\u001b[2Jb" + new string('n', 10_000);
        var text = FrameText.Of(
            BodyOf(
                new Attach
                {
                    Name = name,
                    Target = new Target { Address = "q" },
                }
            )
        );

        Assert.StartsWith("attach(name=\"a···[2Jbn", text, StringComparison.Ordinal);
        Assert.Equal(FrameText.MaxLength + 1, text.Length);
    }

    [Fact]
    public void Damaged_frames_are_said_to_be_so()
    {
        var random = new Random(7);
        var good = BodyOf(
            new Attach
            {
                Name = "link",
                Source = new Source { Address = "q" },
                Target = new Target { Address = "q" },
            }
        );
        for (var i = 0; i < 5_000; i++)
        {
            var bad = good.ToArray();
            for (var changes = random.Next(1, 4); changes > 0; changes--)
                bad[random.Next(bad.Length)] = (byte)random.Next(256);

            Assert.DoesNotContain(FrameText.Of(bad.AsSpan(0, random.Next(1, bad.Length + 1))), char.IsControl);
        }
        Assert.Contains("that cannot be read", FrameText.Of(good.AsSpan(0, good.Length - 3)), StringComparison.Ordinal);
    }

    private static byte[] BodyOf<T>(T body)
        where T : IComposite => Bytes.Encode(body.Write);
}
