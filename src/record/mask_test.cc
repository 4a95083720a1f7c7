#include "record/mask.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace holdfast {
namespace {

using Words = std::vector<std::string>;

const std::string long_key = "abcdefABCDEF0123456789abcdefABCDEF0123";  // 38 characters

TEST(MaskCommand, HidesTheValueOfASecretOption) {
    EXPECT_EQ(mask_command({"train", "--api-key=V1", "x"}), (Words{"train", "--api-key=***", "x"}));
    EXPECT_EQ(mask_command({"train", "--token", "V1", "x"}),
              (Words{"train", "--token", "***", "x"}));
    EXPECT_EQ(mask_command({"--password", "two words"}), (Words{"--password", "***"}));
    EXPECT_EQ(mask_command({"--password=two words"}), (Words{"--password=***"}));
    EXPECT_EQ(mask_command({"--hub_token", "V"}), (Words{"--hub_token", "***"}));
    EXPECT_EQ(mask_command({"--apiKey", "V"}), (Words{"--apiKey", "***"}));
    EXPECT_EQ(mask_command({"+logger.api_key=V"}), (Words{"+logger.api_key=***"}));
}

TEST(MaskCommand, HidesTheValueOfASecretAssignment) {
    EXPECT_EQ(mask_command({"env", "HF_TOKEN=V", "AWS_SECRET_ACCESS_KEY=V", "DB_PASSWORD=V",
                            "WANDB_APIKEY=V", "CLIENT_SECRET=V", "KAGGLE_KEY=V", "python"}),
              (Words{"env", "HF_TOKEN=***", "AWS_SECRET_ACCESS_KEY=***", "DB_PASSWORD=***",
                     "WANDB_APIKEY=***", "CLIENT_SECRET=***", "KAGGLE_KEY=***", "python"}));
}

TEST(MaskCommand, LooksIntoShellCommands) {
    EXPECT_EQ(mask_command({"bash", "-c", "export HF_TOKEN=abc; python t.py --token def --lr 1"}),
              (Words{"bash", "-c", "export HF_TOKEN=***; python t.py --token *** --lr 1"}));
    EXPECT_EQ(mask_command({"sh", "-c", "wandb login 0123456789012345678901234567890123456789"}),
              (Words{"sh", "-c", "wandb login ***"}));
}

TEST(MaskCommand, HidesAWandbKeyButNoCommitHash) {
    const std::string hex = "0123456789abcdef0123456789abcdef01234567";
    EXPECT_EQ(mask_command({"wandb", "login", "--relogin", hex}),
              (Words{"wandb", "login", "--relogin", "***"}));
    EXPECT_EQ(mask_command({"train", "--revision", hex}), (Words{"train", "--revision", hex}));
}

TEST(MaskCommand, LeavesOrdinaryArgumentsAlone) {
    for (const Words& ordinary : std::vector<Words>{
             {"python", "train.py", "--tokenizer", "gpt2", "--max-tokens", "512"},
             {"--num-key-value-heads", "8", "--key", "label", "--sort-key=date", "primary_key=id"},
             {"--pad-token", "<pad>", "--eos_token=</s>", "--placeholder_token", "<cat>"},
             {"--max_new_tokens=20", "--tokens-per-batch", "4096", "--token-file", "/run/t"},
             {"--password-file", "/run/secrets/p", "--password-file=/run/secrets/p"},
             {"-p", "8080", "PWD=/home/me", "PATH=/usr/bin:/bin", "OLDPWD=/tmp"},
             {"/data/sk-learn-contrib-2024/hf_models/bert-base-uncased-finetuned-2024-11-15"},
             {"https://host:8080/a@b", "git@github.com:me/repo.git", "s3://bucket/key=1/part-0"},
             {"--use-auth-token", "True", "--token", "--verbose"},
             {"user@host:/path with spaces/ключ", "--name", "überlauf 実験"},
             {"secretary.py", "--passes", "3", "token==1.0"},
         })
        EXPECT_EQ(mask_command(ordinary), ordinary) << command_line(ordinary);
}

TEST(MaskText, HidesKeysByTheirShape) {
    for (const std::string& key :
         {"hf_" + long_key, "sk-" + long_key, "sk-proj-" + long_key, "ghp_" + long_key,
          "github_pat_" + long_key, std::string("AKIAIOSFODNN7EXAMPLE"),
          std::string("xoxb-1234567890-abcdef"), std::string("xoxp-1234567890-abcdef"),
          "glpat-" + long_key, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + long_key}) {
        EXPECT_EQ(mask_text(key), "***") << key;
        EXPECT_EQ(mask_text("key '" + key + "', refused"), "key '***', refused") << key;
        EXPECT_EQ(mask_text("x=" + key), "x=***") << key;
    }
}

TEST(MaskText, HidesPasswordsInUrls) {
    EXPECT_EQ(mask_text("pull https://me:pa:ss@host/x"), "pull https://me:***@host/x");
    EXPECT_EQ(mask_text("redis://:pw@h:6379"), "redis://:***@h:6379");
    EXPECT_EQ(mask_text("https://h/x?token=abc&y=1"), "https://h/x?token=***&y=1");
}

TEST(MaskText, HidesAuthorizationHeaders) {
    EXPECT_EQ(mask_text("Authorization: Bearer abc"), "Authorization: Bearer ***");
    EXPECT_EQ(mask_text("-H 'Authorization: Basic dTpw' x"), "-H 'Authorization: Basic ***' x");
    EXPECT_EQ(mask_text("sent Bearer 0123456789abcdef"), "sent Bearer ***");
}

TEST(MaskText, HidesValuesInCodeAndJson) {
    EXPECT_EQ(mask_text("login(api_key = \"a b\", n=3)"), "login(api_key = \"***\", n=3)");
    EXPECT_EQ(mask_text("{'password': 'pw', \"n\": 1}"), "{'password': '***', \"n\": 1}");
    EXPECT_EQ(mask_text("password: hunter2hunter2"), "password: ***");
}

TEST(MaskText, LeavesErrorMessagesAlone) {
    for (const std::string text :
         {"SyntaxError: unexpected token: foo", "KeyError: 'token'", "bad key: 'x' in dict",
          "CUDA out of memory. Tried to allocate 2.00 GiB", "Bearer of bad news", "token",
          "RuntimeError: token indices sequence length is longer than 512", "password:", "a://b@"})
        EXPECT_EQ(mask_text(text), text);
}

TEST(MaskText, HostileRepetitionTakesNoQuadraticTime) {
    // Must finish at once; else the test's time limit fails it.
    for (const std::string piece : {"sk-", "token:", "wandb login ", "://a", "eyJ.", "--token "}) {
        std::string text;
        while (text.size() < 1U << 17U) text += piece;
        EXPECT_FALSE(mask_text(text).empty());
    }
}

TEST(CommandLine, QuotesWhatAShellWouldTouch) {
    EXPECT_EQ(command_line({"python", "a b.py", "it's", "", "$x", "--lr=1e-3", "naïve.py"}),
              "python 'a b.py' 'it'\\''s' '' '$x' --lr=1e-3 naïve.py");
    EXPECT_EQ(command_line({"--token=***"}), "--token=***");
}

}  // namespace
}  // namespace holdfast
